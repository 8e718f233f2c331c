import { useQuery } from "@tanstack/react-query";
import type { Receipt } from "#contract/endpoints/receipts.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";

/** What was sent to models for the answer of a run, read again whenever it is shown. */
export function useReceipt(runId: string): Loaded & { receipt: Receipt | undefined } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: ["receipt", runId],
    queryFn: async ({ signal }) => await call("runs.receipt", { params: { run_id: runId } }, signal),
    staleTime: 0,
  });
  return { ...loadedOf(query), receipt: query.data?.receipt };
}
