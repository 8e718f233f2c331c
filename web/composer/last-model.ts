import { readPreference, setPreference } from "#web/preferences/preferences.ts";

/** More people than usually share a browser. The least recent one is removed. */
const peopleMax = 8;

/** The model that this person last chose for the default assistant on this device; null for the default model. */
export function lastModelOf(userId: string | undefined): string | null {
  const found = userId === undefined ? undefined : readPreference("lastModels")[userId];
  return typeof found === "string" ? found : null;
}

/** The models that were chosen last on this device are at the top of a long list. */
const recentMax = 3;

export function rememberRecent(model: string): void {
  const others = readPreference("recentModels").filter((id) => id !== model);
  setPreference("recentModels", [model, ...others].slice(0, recentMax));
}

export function rememberModel(userId: string | undefined, model: string | null): void {
  if (userId === undefined) return;
  const { [userId]: _, ...others } = readPreference("lastModels");
  const kept = Object.entries(others).slice(1 - peopleMax);
  setPreference("lastModels", Object.fromEntries([...kept, [userId, model]]));
}
