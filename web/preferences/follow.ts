import { isMotionUnwanted, motionWish } from "#web/lib/motion.ts";
import { saveFocus } from "#web/ui/restore-focus.ts";
import { showToast } from "#web/ui/toast.tsx";
import { loadLanguage } from "#web/i18n/load-language.ts";
import { t } from "#web/i18n/translate.ts";
import { followPreferences, readPreference } from "./preferences.ts";

/** Keeps the page in the chosen theme, size and motion; `/first-paint.js` has done the same before the first paint. */
export function followLook(): void {
  const { dataset } = document.documentElement;
  const apply = () => {
    const theme = readPreference("theme");
    if (theme === "system") delete dataset["theme"];
    else dataset["theme"] = theme;
    dataset["textSize"] = readPreference("textSize");
    const motion = readPreference("motion");
    dataset["motion"] = motion === "system" ? (isMotionUnwanted() ? "reduced" : "full") : motion;
  };
  followPreferences(apply);
  motionWish().addEventListener("change", apply);
}

/** Loads the chosen language, and each one chosen later. Throws when the first one does not load. */
export async function followLanguage(): Promise<void> {
  await loadLanguage(readPreference("language"));
  const again = () => {
    const giveFocusBack = saveFocus();
    void loadLanguage(readPreference("language")).then(
      (isAnother) => isAnother && requestAnimationFrame(giveFocusBack),
      () => showToast(t("settings.languageFailed"), { tone: "loss" }),
    );
  };
  followPreferences(again);
  addEventListener("languagechange", again);
}
