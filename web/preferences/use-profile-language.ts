import { useEffect } from "react";
import { useSession } from "#web/data/session/session.ts";
import { languages } from "#web/i18n/languages.ts";
import { readPreference, setPreference } from "./preferences.ts";

/** What this tab knows. Another tab may have stored a newer one. */
let known: { userId: string; language: string } | undefined;

/**
 * Applies the language of the person's profile when it has changed, which may have been on another device. A language that
 * is chosen here is not undone while the server stores it.
 */
export function useProfileLanguage(): void {
  const { me } = useSession();
  const userId = me?.user_id;
  const language = me?.profile?.language;
  useEffect(() => {
    if (userId === undefined || language === undefined) return;
    const chosen = language !== null && Object.hasOwn(languages, language) ? language : "system";
    const stored = readPreference("profileLanguages")[userId] ?? "system";
    const before = known?.userId === userId ? known.language : stored;
    known = { userId, language: chosen };
    if (chosen === before) return;
    setPreference("profileLanguages", { [userId]: chosen });
    setPreference("language", chosen);
  }, [userId, language]);
}
