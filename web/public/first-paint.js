// Runs before the first paint, so it is a plain script: no module, no build, not inline. web/preferences/ and web/i18n/
// apply the same settings again once the app has loaded, and whenever they change.
(function () {
  var root = document.documentElement;

  function preference(name) {
    try {
      return JSON.parse(localStorage.getItem("parlance." + name));
    } catch (_) {
      // Storage is blocked or has an invalid value: use the system's setting.
      return null;
    }
  }

  var theme = preference("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  var textSize = preference("textSize");
  if (["small", "large", "larger"].includes(textSize)) root.dataset.textSize = textSize;
  var motion = preference("motion");
  var prefersReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  var isMotionSet = motion === "reduced" || motion === "full";
  root.dataset.motion = isMotionSet ? motion : prefersReduced ? "reduced" : "full";

  if (preference("sidebarOpen") === false) root.dataset.sidebar = "closed";
  var width = preference("sidebarWidth");
  if (typeof width === "number") root.style.setProperty("--sidebar", width + "px");

  // The build writes the list of languages into the app's page, but not into the other pages that run this script.
  var list = document.currentScript.dataset.languages;
  if (list === undefined) return;
  var languages = JSON.parse(list);
  var preferred = [preference("language")].concat(navigator.languages || [navigator.language], "en");
  var tag = preferred
    .map(function (name) {
      return String(name).split("-")[0].toLowerCase();
    })
    .find(function (name) {
      return Object.hasOwn(languages, name);
    });
  var language = languages[tag];
  root.lang = tag;
  root.dir = language.direction;
  preload(language.strings, { rel: "modulepreload", fetchPriority: "low" });
  preload(language.font, { rel: "preload", as: "font", type: "font/woff2" });

  function preload(href, attributes) {
    if (href === undefined) return;
    var link = Object.assign(document.createElement("link"), attributes, {
      href: href,
      crossOrigin: "anonymous",
    });
    document.head.append(link);
  }
})();
