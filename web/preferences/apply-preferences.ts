import { prefersReducedMotion, reducedMotionQuery } from "#web/lib/motion.ts";
import { saveFocus } from "#web/ui/restore-focus.ts";
import { showToast } from "#web/ui/toast.tsx";
import { loadLanguage } from "#web/i18n/load-language.ts";
import { t } from "#web/i18n/translate.ts";
import { followPreferences, readPreference } from "./preferences.ts";

/** Applies the chosen theme, text size and motion; `/first-paint.js` does the same before the first paint. */
export function applyAppearance(): void {
  const { dataset } = document.documentElement;
  const apply = () => {
    const theme = readPreference("theme");
    if (theme === "system") delete dataset["theme"];
    else dataset["theme"] = theme;
    dataset["textSize"] = readPreference("textSize");
    const motion = readPreference("motion");
    dataset["motion"] = motion === "system" ? (prefersReducedMotion() ? "reduced" : "full") : motion;
  };
  followPreferences(apply);
  reducedMotionQuery().addEventListener("change", apply);
}

/** Loads the chosen language, and each one chosen later. Throws when the first one does not load. */
export async function applyLanguage(): Promise<void> {
  await loadLanguage(readPreference("language"));
  const reload = () => {
    const restoreFocus = saveFocus();
    void loadLanguage(readPreference("language")).then(
      (isAnother) => isAnother && requestAnimationFrame(restoreFocus),
      () => showToast(t("settings.languageFailed"), { tone: "danger" }),
    );
  };
  followPreferences(reload);
  addEventListener("languagechange", reload);
}
