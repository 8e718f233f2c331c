import { useEffect } from "react";
import { useSession } from "#web/data/session/session.ts";
import { languages } from "#web/i18n/languages.ts";
import { readPreference, setPreference } from "./preferences.ts";

/** Applies the language of the person's profile, which may have been chosen on another device. */
export function useProfileLanguage(): void {
  const language = useSession().me?.profile?.language ?? null;
  useEffect(() => {
    if (language === null || !Object.hasOwn(languages, language)) return;
    if (readPreference("language") !== language) setPreference("language", language);
  }, [language]);
}
