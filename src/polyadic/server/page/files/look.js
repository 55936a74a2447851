// Set the theme before the first paint: the chosen one, else the system's. Not a module, as those load late.
(() => {
  const chosen = localStorage.getItem("polyadic-look");
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset.theme = chosen;
  }
})();
