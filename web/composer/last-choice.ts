import { readPreference, setPreference } from "#web/preferences/preferences.ts";

/** The last selection of a person for a new chat. `null`: the default. */
export type LastChoice = { assistantId: string | null; model: string | null };

/** More people than usually share a browser. The least recent one is removed. */
const peopleMax = 8;

/** The last selection of this person on this device. */
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
