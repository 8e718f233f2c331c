import { useQuery } from "@tanstack/react-query";
import type { Health, HealthCheck } from "#contract/endpoints/health.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";

/** The server's health, read again whenever the page is opened. */
export function useHealth(): Loaded & {
  health: Health | undefined;
  /** Throws `CallError`. */
  check(): Promise<HealthCheck>;
} {
  const { call } = useServices();
  async function check(): Promise<HealthCheck> {
    for (;;) {
      const { result } = await call("health.check", {});
      if (result !== null) return result;
    }
  }
  const query = useQuery({
    queryKey: ["health"],
    queryFn: async ({ signal }) => await call("health.report", {}, signal),
    staleTime: 0,
  });
  return { ...loadedOf(query), health: query.data, check };
}
