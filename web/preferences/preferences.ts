import { useSyncExternalStore } from "react";
import { deviceStorage } from "#web/data/drafts/device-storage.ts";

/**
 * What a person chose on this device. Kept in this browser's storage under `parlance.<name>` as JSON; other tabs
 * follow. Where storage is closed the choice lasts as long as the page.
 */
type Preferences = {
  theme: "system" | "light" | "dark";
  /** The tag of one of `web/i18n/languages.ts`, or `system` for the browser's. */
  language: string;
  textSize: "small" | "normal" | "large" | "larger";
  /** `system`: as little moves as the system asks for. */
  motion: "system" | "reduced" | "full";
  sendKey: "enter" | "ctrlEnter";
  sidebarOpen: boolean;
  /** CSS pixels. */
  sidebarWidth: number;
  wrapCode: boolean;
  /** Whom each person chose last for a new chat, by their id. */
  lastChoices: Record<string, { assistantId: string | null; model: string | null }>;
  /** Whether there was anything to choose from, so that the composer has its size before that is known. */
  hasModels: boolean;
};

export type Preference = keyof Preferences;

const defaults: Preferences = {
  theme: "system",
  language: "system",
  textSize: "normal",
  motion: "system",
  sendKey: "enter",
  sidebarOpen: true,
  sidebarWidth: 280,
  wrapCode: false,
  lastChoices: {},
  hasModels: false,
};

/** What a choice may be; anything else that lies there is none. */
const choices: { [Name in Preference]?: readonly Preferences[Name][] } = {
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

/** A preference and how to change it, as `useState` would give them. */
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
    return isOf(name, value) ? value : defaults[name];
  } catch {
    return defaults[name];
  }
}

function isOf<Name extends Preference>(name: Name, value: unknown): value is Preferences[Name] {
  if (typeof value !== typeof defaults[name]) return false;
  return choices[name]?.includes(value as Preferences[Name]) ?? true;
}

if (typeof addEventListener === "function") {
  addEventListener("storage", (event) => {
    if (event.key !== null && !event.key.startsWith("parlance.")) return;
    cache.clear();
    for (const listener of listeners) listener();
  });
}
