// Runs before the first paint, so it is a plain file of its own: no module, no build, no inline script. What it does
// web/preferences/ and web/i18n/ do again once they are there, and when something is chosen anew.
(function () {
  var root = document.documentElement;

  function kept(name) {
    try {
      return JSON.parse(localStorage.getItem("parlance." + name));
    } catch (_) {
      // Storage is closed to us or holds something else: what the system says it is.
      return null;
    }
  }

  var theme = kept("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  var textSize = kept("textSize");
  if (["small", "large", "larger"].includes(textSize)) root.dataset.textSize = textSize;
  var motion = kept("motion");
  var still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  root.dataset.motion = motion === "reduced" || motion === "full" ? motion : still ? "reduced" : "full";

  // Only the app's page names the languages that it is there in.
  var given = document.currentScript.dataset.languages;
  if (given === undefined) return;
  var languages = JSON.parse(given);
  var wanted = [kept("language")].concat(navigator.languages || [navigator.language], "en");
  var language = wanted
    .map(function (tag) {
      return String(tag).split("-")[0].toLowerCase();
    })
    .find(function (name) {
      return Object.hasOwn(languages, name);
    });
  var spoken = languages[language];
  root.lang = language;
  root.dir = spoken.direction;
  preload(spoken.words, { rel: "modulepreload" });
  preload(spoken.font, { rel: "preload", as: "font", type: "font/woff2" });

  function preload(href, how) {
    if (href === undefined) return;
    var link = Object.assign(document.createElement("link"), how, { href: href, crossOrigin: "anonymous" });
    document.head.append(link);
  }
})();
