// Runs before the first paint, so it is a plain script and no module. The build puts it into the app's page.
// web/preferences/ and web/i18n/ apply the same settings again once the app has loaded, and whenever they change.
(function () {
  var root = document.documentElement;

  // As in web/lib/base-path.ts.
  var base = document.querySelector("meta[name=parlance-base-path]").content;

  function preference(name) {
    try {
      return JSON.parse(localStorage.getItem((base && base + ":") + "parlance." + name));
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

  // The build writes both lists: the languages, and the files that start the app.
  var lists = document.currentScript.dataset;
  var languages = JSON.parse(lists.languages);
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

  // Behind the first frame, which they would delay. A hidden page has no frames.
  var files = JSON.parse(lists.files).concat(language.strings || [], language.font || []);
  if (document.hidden) files.forEach(preload);
  else
    requestAnimationFrame(function () {
      setTimeout(function () {
        files.forEach(preload);
      });
    });

  // Not as modules, which browsers would also compile at once.
  function preload(href) {
    var kinds = { js: "script", css: "style", woff2: "font" };
    var link = document.createElement("link");
    link.rel = "preload";
    link.as = kinds[href.split(".").pop()];
    link.href = href;
    link.crossOrigin = "anonymous";
    document.head.append(link);
  }
})();
