import { deviceStorage } from "./device-storage.ts";
import { panelsPrefix } from "./personal-storage.ts";

/** Removes what this device has of the panel of a thread that is gone. */
export function forgetPanel(threadId: string): void {
  for (const key of deviceStorage.keys(`${panelsPrefix}${threadId}@`)) deviceStorage.remove(key);
}
