import { useSyncExternalStore } from "react";
import { useServices } from "../provider.tsx";
import { browserServices } from "../services.ts";
import type { SessionState } from "./session-state.ts";

/** The session, which opens by itself. */
export function useSession(): SessionState & { retry: () => void } {
  const { session } = useServices();
  const state = useSyncExternalStore(session.state.subscribe, session.state.get);
  return { ...state, retry: () => void session.open() };
}

/** Signs in as the owner with the secret of the owner's link. Throws `CallError`. */
export async function openOwnerSession(secret: string): Promise<void> {
  await browserServices().session.openAsOwner(secret);
}
