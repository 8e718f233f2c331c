import { useSyncExternalStore } from "react";

/**
 * What a person chose on this device. Kept in this browser's storage under `parlance.<name>` as JSON; other tabs
 * follow. Where storage is closed the choice lasts as long as the page.
 */
type Preferences = {
  theme: "system" | "light" | "dark";
  /** The tag of one of `web/words/languages.ts`, or `system` for the browser's. */
  language: string;
  sendKey: "enter" | "ctrlEnter";
  sidebarOpen: boolean;
  /** CSS pixels. */
  sidebarWidth: number;
  wrapCode: boolean;
  /** The model last chosen for a new chat; empty for the server's own choice. */
  model: string;
  /** Whether there was more than one model to choose from, so that the composer has its size before they are known. */
  hasModels: boolean;
};

export type Preference = keyof Preferences;

const defaults: Preferences = {
  theme: "system",
  language: "system",
  sendKey: "enter",
  sidebarOpen: true,
  sidebarWidth: 280,
  wrapCode: false,
  model: "",
  hasModels: false,
};

const cache = new Map<Preference, unknown>();
const listeners = new Set<() => void>();

export function readPreference<Name extends Preference>(name: Name): Preferences[Name] {
  if (!cache.has(name)) cache.set(name, readStored(name));
  return cache.get(name) as Preferences[Name];
}

export function setPreference<Name extends Preference>(name: Name, value: Preferences[Name]): void {
  cache.set(name, value);
  try {
    localStorage.setItem(`parlance.${name}`, JSON.stringify(value));
  } catch {
    // Storage is full or closed: the choice lasts as long as this page.
  }
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
    const text = localStorage.getItem(`parlance.${name}`);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return typeof value === typeof defaults[name] ? (value as Preferences[Name]) : defaults[name];
  } catch {
    return defaults[name];
  }
}

if (typeof addEventListener === "function") {
  addEventListener("storage", (event) => {
    if (event.key !== null && !event.key.startsWith("parlance.")) return;
    cache.clear();
    for (const listener of listeners) listener();
  });
}
