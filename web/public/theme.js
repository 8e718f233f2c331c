// Runs before the first paint, so it is a plain file of its own: no module, no build, no inline script.
(function () {
  try {
    var theme = JSON.parse(localStorage.getItem("parlance.theme") || '"system"');
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch (_) {
    // Storage is closed to us or holds something else: the system's theme it is.
  }
})();
