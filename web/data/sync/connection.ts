import { useSyncExternalStore } from "react";
import { useServices } from "../provider.tsx";

/** The state of this browser's connection to the server. */
export function useConnection(): "online" | "connecting" | "offline" {
  const { connection } = useServices();
  const state = useSyncExternalStore(connection.subscribe, connection.get);
  const hasNetwork = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  return hasNetwork ? state : "offline";
}

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}
