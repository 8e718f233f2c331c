import { type ComponentProps, type CSSProperties, type ReactNode, useMemo } from "react";
import { useSearch } from "@tanstack/react-router";
import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { BesideChatContext } from "#web/ui/beside-chat/beside-chat.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useLoaded } from "#web/ui/load-failure.tsx";
import { panelSearch } from "./panel-search.ts";
import styles from "./with-panel.module.css";

export const panelModule = createLazyModule(
  () => import("./lazily-loaded.ts"),
  (module) => module,
  loadScreenStrings,
);

/** In narrower windows the panel covers the thread. The style sheet has the same value. */
const narrow = "(width < 64rem)";

/** A thread, and the panel beside it if the address names what it shows. */
export function WithPanel({ threadId, children }: { threadId: string | undefined; children: ReactNode }) {
  const search = panelSearch(useSearch({ strict: false }));
  const isOver = useMediaQuery(narrow) || search.full !== undefined;
  const [width] = usePreference("panelWidth");
  const loaded = panelModule.use();
  const beside = useMemo(() => (threadId === undefined ? undefined : { threadId }), [threadId]);
  const isOpen = threadId !== undefined && search.panel !== undefined;
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
      {typeof loaded === "object" && (
        <loaded.PanelMemory threadId={threadId} search={search} isOver={isOver} />
      )}
    </div>
  );
}

function LazyPanel(props: ComponentProps<typeof import("./panel.tsx").Panel>) {
  const loaded = useLoaded(panelModule);
  return loaded && <loaded.Panel {...props} />;
}
