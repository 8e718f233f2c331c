import { useNavigate, useRouter } from "@tanstack/react-router";
import { panelSearch, type PanelSearch } from "./panel-search.ts";

/** Changes what the address says about the panel. */
export type PanelAddress = {
  /** Another version, view or size: no step of the history. Does nothing once the person leaves the thread. */
  update(change: { [Name in keyof PanelSearch]?: PanelSearch[Name] | undefined }): Promise<void>;
  open(key: string, v?: string): Promise<void>;
  close(): Promise<void>;
};

export function usePanelAddress(threadId: string): PanelAddress {
  const navigate = useNavigate();
  const router = useRouter();
  const go = async (search: PanelSearch) =>
    await navigate({ to: "/t/$threadId", params: { threadId }, search });
  return {
    async update(change) {
      if (!router.latestLocation.pathname.startsWith(`/t/${threadId}`)) return;
      await navigate({
        to: "/t/$threadId",
        params: { threadId },
        search: (before) => panelSearch({ ...before, ...change }),
        replace: true,
      });
    },
    open: async (key, v) => await go({ panel: key, ...(v === undefined ? {} : { v }) }),
    close: async () => await go({}),
  };
}
