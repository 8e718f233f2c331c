import { useNavigate } from "@tanstack/react-router";
import { panelSearch, type PanelSearch } from "./panel-search.ts";

/** Changes what the address says about the panel. */
export type PanelAddress = {
  /** Another version, view or size: no step of the history. */
  update(change: { [Name in keyof PanelSearch]?: PanelSearch[Name] | undefined }): void;
  open(key: string): void;
  close(): void;
};

export function usePanelAddress(threadId: string): PanelAddress {
  const navigate = useNavigate();
  const go = (search: PanelSearch, replace: boolean) =>
    void navigate({ to: "/t/$threadId", params: { threadId }, search, replace });
  return {
    update: (change) =>
      void navigate({
        to: "/t/$threadId",
        params: { threadId },
        search: (before) => panelSearch({ ...before, ...change }),
        replace: true,
      }),
    open: (key) => go({ panel: key }, false),
    close: () => go({}, false),
  };
}
