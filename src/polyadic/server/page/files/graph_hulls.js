// The outline of a fact: a smooth shape with an arm to each of its entities that avoids others.

const ROOM = 4;

/**
 * Add the outline of a fact to a path.
 * @param {Path2D | CanvasRenderingContext2D} path
 * @param {[number, number]} mark position of the fact's mark
 * @param {{x: number, y: number, radius: number}[]} members three or more; the shape wraps each
 */
export function addHull(path, [x, y], members) {
  const arms = members.map((member) => arm(member, x, y)).sort((a, b) => a.angle - b.angle);
  const waist = Math.max(...arms.map(({ width }) => width)) * 0.9;
  arms.forEach((one, index) => {
    const next = arms[(index + 1) % arms.length];
    const gap = (next.angle - one.angle + 2 * Math.PI) % (2 * Math.PI) || 2 * Math.PI;
    if (!index) path.moveTo(...side(one, -1));
    path.arc(one.x, one.y, one.width, one.angle - Math.PI / 2, one.angle + Math.PI / 2);
    // Between two arms the outline swings in towards the mark; the wider the gap, the closer.
    const middle = one.angle + gap / 2;
    const swing = gap < Math.PI ? waist + 0.34 * Math.min(one.reach, next.reach) * Math.cos(gap / 2) : waist;
    path.quadraticCurveTo(x + swing * Math.cos(middle), y + swing * Math.sin(middle), ...side(next, -1));
  });
  path.closePath();
}

function arm({ x, y, radius }, fromX, fromY) {
  const angle = Math.atan2(y - fromY, x - fromX);
  return { x, y, angle, width: radius + ROOM, reach: Math.hypot(x - fromX, y - fromY) };
}

function side({ x, y, angle, width }, sign) {
  return [x + width * Math.cos(angle + (sign * Math.PI) / 2), y + width * Math.sin(angle + (sign * Math.PI) / 2)];
}
