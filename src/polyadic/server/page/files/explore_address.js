/** What the address says of the Explore view: the place, the number of entities and the selection. */

const KINDS = ["entity", "fact", "path"];

/**
 * @typedef {{kind: "overview" | "entity" | "fact" | "path", id: string, name: string}} Place the id of a path joins
 *   those of its two ends with a full stop
 * @typedef {{kind: "entity" | "fact", id: string}} Item
 */

/**
 * @param {URLSearchParams} params
 * @returns {{place: Place, selected: Item | null}}
 */
export function readAddress(params) {
  const kind = KINDS.find((one) => params.get(one));
  const place = kind ? { kind, id: params.get(kind), name: "" } : { kind: "overview", id: "", name: "Overview" };
  const [selectedKind, id] = (params.get("selected") ?? "").split(".");
  return { place, selected: id ? { kind: selectedKind === "fact" ? "fact" : "entity", id } : null };
}

/**
 * Write the address: as a new history entry for another place, else in place of the current one.
 *
 * @param {string} workspace
 * @param {{place: Place, limit: number | null, selected: Item | null}} view the limit is null if it is the default
 * @param {boolean} isNewPlace
 */
export function writeAddress(workspace, { place, limit, selected }, isNewPlace) {
  const query = new URLSearchParams();
  if (place.id) query.set(place.kind, place.id);
  if (limit) query.set("limit", String(limit));
  if (selected && selected.id !== place.id) query.set("selected", `${selected.kind}.${selected.id}`);
  const hash = `#/${encodeURIComponent(workspace)}/explore${query.size ? `?${query}` : ""}`;
  if (location.hash === hash) return;
  if (isNewPlace) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}
