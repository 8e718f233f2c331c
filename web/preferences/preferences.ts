import { useSyncExternalStore } from "react";
import { deviceStorage } from "#web/data/drafts/device-storage.ts";

/**
 * The preferences of this device, stored in local storage under `parlance.<name>` as JSON. Other tabs follow changes.
 * Without local storage a preference lasts until the page is closed.
 */
type Preferences = {
  theme: "system" | "light" | "dark";
  /** The tag of a language of `web/i18n/languages.ts`, or `system` for the browser's language. */
  language: string;
  /** The language of the profile when it was last applied here, by user id. */
  profileLanguages: Record<string, string>;
  textSize: "small" | "normal" | "large" | "larger";
  /** `system`: follows the system's setting for reduced motion. */
  motion: "system" | "reduced" | "full";
  sendKey: "enter" | "ctrlEnter";
  sidebarOpen: boolean;
  /** CSS pixels. */
  sidebarWidth: number;
  /** The id of the open folder; "" for none. */
  openFolder: string;
  /** Whether there were folders: the list of folders is loaded early. */
  hasFolders: boolean;
  /** CSS pixels. */
  panelWidth: number;
  wrapCode: boolean;
  /** The last chosen model for a new chat, by user id; null for the default model. */
  lastModels: Record<string, string | null>;
  /** The ids of models at the top of the list. */
  favouriteModels: readonly string[];
  recentModels: readonly string[];
  /** Whether to show follow-up questions, if the server makes them. */
  suggestions: boolean;
  /** The owner has decided to go on without an account. */
  withoutAccount: boolean;
  /** Whether there were models to choose from: the composer reserves space before they are loaded. */
  hasModels: boolean;
};

export type Preference = keyof Preferences;

const defaults: Preferences = {
  theme: "system",
  language: "system",
  profileLanguages: {},
  textSize: "normal",
  motion: "system",
  sendKey: "enter",
  sidebarOpen: true,
  sidebarWidth: 280,
  openFolder: "",
  hasFolders: false,
  panelWidth: 560,
  wrapCode: false,
  lastModels: {},
  favouriteModels: [],
  recentModels: [],
  suggestions: true,
  withoutAccount: false,
  hasModels: false,
};

/** The allowed values; any other stored value is ignored. */
const allowedValues: { [Name in Preference]?: readonly Preferences[Name][] } = {
  theme: ["system", "light", "dark"],
  textSize: ["small", "normal", "large", "larger"],
  motion: ["system", "reduced", "full"],
  sendKey: ["enter", "ctrlEnter"],
};

const cache = new Map<Preference, unknown>();
const listeners = new Set<() => void>();

export function readPreference<Name extends Preference>(name: Name): Preferences[Name] {
  if (!cache.has(name)) cache.set(name, readStored(name));
  return cache.get(name) as Preferences[Name];
}

export function setPreference<Name extends Preference>(name: Name, value: Preferences[Name]): void {
  cache.set(name, value);
  deviceStorage.set(`parlance.${name}`, JSON.stringify(value));
  for (const listener of listeners) listener();
}

/** A preference and its setter, like `useState`. */
export function usePreference<Name extends Preference>(
  name: Name,
): [Preferences[Name], (value: Preferences[Name]) => void] {
  const read = () => readPreference(name);
  const value = useSyncExternalStore(subscribe, read, read);
  return [value, (next) => setPreference(name, next)];
}

/** Calls `apply` now and whenever a preference may have changed, here or in another tab. */
export function followPreferences(apply: () => void): void {
  listeners.add(apply);
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readStored<Name extends Preference>(name: Name): Preferences[Name] {
  try {
    const text = deviceStorage.get(`parlance.${name}`);
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isAllowed(name, value) ? value : defaults[name];
  } catch {
    return defaults[name];
  }
}

function isAllowed<Name extends Preference>(name: Name, value: unknown): value is Preferences[Name] {
  if (typeof value !== typeof defaults[name]) return false;
  return allowedValues[name]?.includes(value as Preferences[Name]) ?? true;
}

if (typeof addEventListener === "function") {
  addEventListener("storage", (event) => {
    if (event.key !== null && !event.key.includes("parlance.")) return;
    cache.clear();
    for (const listener of listeners) listener();
  });
}
