// Before anything is drawn: light or dark as it was chosen here, else as the system has it. No module, which would come late.
(() => {
  const chosen = localStorage.getItem("polyadic-look");
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset.theme = chosen;
  }
})();
