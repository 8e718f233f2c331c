import { useSyncExternalStore } from "react";
import { useServices } from "../provider.tsx";
import type { SessionState } from "./session-state.ts";

/** The session, which opens by itself. */
export function useSession(): SessionState & { retry: () => void } {
  const { session } = useServices();
  const state = useSyncExternalStore(session.state.subscribe, session.state.get);
  return { ...state, retry: () => void session.open() };
}
