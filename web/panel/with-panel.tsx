import { type ComponentProps, type CSSProperties, type ReactNode, useEffect, useMemo } from "react";
import { useSearch } from "@tanstack/react-router";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { BesideChatContext } from "#web/ui/beside-chat/beside-chat.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useLoaded } from "#web/ui/load-failure.tsx";
import { panelSearch } from "./panel-search.ts";
import styles from "./with-panel.module.css";

export const panelModule = createLazyModule(
  () => import("./panel-and-inline-diagram.ts"),
  (module) => module,
  "panel",
  "parts",
  "images",
);

/** Small, and loaded soon after the first thread is shown: the person may have opened its panel on another device. */
const memoryModule = createLazyModule(
  () => import("./position/panel-position.tsx"),
  (module) => module,
);
/** The thread, and what is sent in it, first. */
const memoryAfterMs = 1_000;

/** In narrower windows the panel covers the thread. The style sheet has the same value. */
const narrow = "(width < 64rem)";

/** A thread, and the panel beside it if the address names what it shows. */
export function WithPanel({ threadId, children }: { threadId: string | undefined; children: ReactNode }) {
  const search = panelSearch(useSearch({ strict: false }));
  const isOver = useMediaQuery(narrow) || search.full !== undefined;
  const [width] = usePreference("panelWidth");
  const memory = memoryModule.use();
  const beside = useMemo(() => (threadId === undefined ? undefined : { threadId }), [threadId]);
  const isOpen = threadId !== undefined && search.panel !== undefined;
  useEffect(() => {
    if (threadId === undefined) return undefined;
    const timer = setTimeout(() => void memoryModule.load(), isOpen ? 0 : memoryAfterMs);
    return () => clearTimeout(timer);
  }, [threadId, isOpen]);
  return (
    <div
      className={styles["frame"]}
      style={
        { "--panel": `${width}px`, "--beside": isOpen && !isOver ? `${width}px` : "0px" } as CSSProperties
      }
    >
      <div className={styles["thread"]} inert={isOpen && isOver}>
        <BesideChatContext value={beside}>{children}</BesideChatContext>
      </div>
      {isOpen && (
        <div className={styles["panel"]} data-full={search.full}>
          <LazyPanel threadId={threadId} search={search} isOver={isOver} />
        </div>
      )}
      {typeof memory === "object" && (
        <memory.PanelPosition threadId={threadId} search={search} isOver={isOver} />
      )}
    </div>
  );
}

function LazyPanel(props: ComponentProps<typeof import("./panel.tsx").Panel>) {
  const loaded = useLoaded(panelModule);
  return loaded && <loaded.Panel {...props} />;
}
