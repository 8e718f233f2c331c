import { readPreference, setPreference } from "#web/preferences/preferences.ts";

/** Whom a person chose last for a new chat: an assistant and a model of the person's own choice, or none. */
export type LastChoice = { assistantId: string | null; model: string | null };

/** More people than share a browser; the one who was here longest ago is forgotten. */
const peopleMax = 8;

/** What this person chose last on this device; nothing for somebody new. */
export function lastChoiceOf(userId: string | undefined): LastChoice {
  const found = userId === undefined ? undefined : readPreference("lastChoices")[userId];
  return {
    assistantId: typeof found?.assistantId === "string" ? found.assistantId : null,
    model: typeof found?.model === "string" ? found.model : null,
  };
}

export function rememberChoice(userId: string | undefined, choice: LastChoice): void {
  if (userId === undefined) return;
  const { [userId]: _, ...others } = readPreference("lastChoices");
  const kept = Object.entries(others).slice(1 - peopleMax);
  setPreference("lastChoices", Object.fromEntries([...kept, [userId, choice]]));
}
