import type { HealthCheck } from "#contract/endpoints/health.ts";
import { useServices } from "../provider.tsx";
import { useResource } from "../resource.ts";

/** The server's health, read again whenever the page is opened. `check` throws `CallError`. */
export function useHealth() {
  const { call } = useServices();
  const { data: health, ...loaded } = useResource(["health"], "health.report", {});
  async function check(): Promise<HealthCheck> {
    for (;;) {
      const { result } = await call("health.check", {});
      if (result !== null) return result;
    }
  }
  return { ...loaded, health, check };
}

/** What is known about newer releases. */
export function useUpdates() {
  const {
    data: updates,
    change,
    ...loaded
  } = useResource(["updates"], "health.updates", {}, { others: [["audit"]] });
  return {
    ...loaded,
    updates,
    change: async (isOn: boolean) => await change("health.lookForUpdates", { body: { is_on: isOn } }),
  };
}
