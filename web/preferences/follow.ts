import { noteFocus } from "#web/ui/same-place.ts";
import { showToast } from "#web/ui/toast.tsx";
import { speakChosen } from "#web/words/chosen.ts";
import { t } from "#web/words/words.ts";
import { followPreferences, readPreference } from "./preferences.ts";

/** Keeps the page in the chosen theme; `/first-paint.js` has done the same before the first paint. */
export function followTheme(): void {
  followPreferences(() => {
    const theme = readPreference("theme");
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  });
}

/** Brings the chosen language, and each that is chosen later. Throws where the first one's words do not come. */
export async function followLanguage(): Promise<void> {
  await speakChosen(readPreference("language"));
  const again = () => {
    const giveFocusBack = noteFocus();
    void speakChosen(readPreference("language")).then(
      (isAnother) => isAnother && requestAnimationFrame(giveFocusBack),
      () => showToast(t("settings.languageFailed"), { tone: "loss" }),
    );
  };
  followPreferences(again);
  addEventListener("languagechange", again);
}
