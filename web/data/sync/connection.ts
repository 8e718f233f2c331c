import { useSyncExternalStore } from "react";
import { useServices } from "../provider.tsx";

/** How this browser's line to the service stands. */
export function useConnection(): "online" | "connecting" | "offline" {
  const { line } = useServices();
  const state = useSyncExternalStore(line.subscribe, line.get);
  const network = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  return network ? state : "offline";
}

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}
