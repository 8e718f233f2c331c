import { tabStorage } from "./device-storage.ts";
import type { SafeStorage } from "./safe-storage.ts";

/** The topic of a new chat that is temporary. */
export const temporaryDraft = "temporary";
/** In the storage of the tab: the id of its temporary thread. */
export const temporaryKey = "parlance.temporary";

/** Whether what was not sent yet is for this tab's temporary thread. */
export function isTemporaryTopic(topic: string): boolean {
  return topic === temporaryDraft || topic === tabStorage.get(temporaryKey);
}

const keysOfTab = /^parlance\.(?:draft|draft-sent|outbox)\.temporary/;

/**
 * The storage of the device, but what belongs to a temporary thread is in the storage of its tab: it survives a reload, and
 * the browser removes it when the tab is closed.
 */
export function createUnsentStorage(device: SafeStorage, tab: SafeStorage): SafeStorage {
  const placeOf = (key: string) => (keysOfTab.test(key) ? tab : device);
  return {
    ...device,
    get: (key) => placeOf(key).get(key),
    set: (key, text) => placeOf(key).set(key, text),
    remove: (key) => placeOf(key).remove(key),
    keys: (prefix) => [...device.keys(prefix), ...tab.keys(prefix)],
    isAtRisk: (prefix) => device.isAtRisk(prefix) || tab.isAtRisk(prefix),
  };
}
