import { createSafeStorage, type SafeStorage } from "#web/data/drafts/safe-storage.ts";

/** A storage in memory, as on a device that forbids storage. */
export function memoryStorage(): SafeStorage {
  return createSafeStorage(() => {
    throw new Error("SecurityError");
  });
}
