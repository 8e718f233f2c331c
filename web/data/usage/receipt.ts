import { useResource } from "../resource.ts";

/** What was sent to models for the answer of a run, read again whenever it is shown. */
export function useReceipt(runId: string) {
  const { data, ...loaded } = useResource(["receipt", runId], "runs.receipt", { params: { run_id: runId } });
  return { ...loaded, receipt: data?.receipt };
}
