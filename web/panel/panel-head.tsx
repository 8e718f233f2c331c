import type { ReactNode } from "react";
import Maximize from "lucide-react/icons/maximize-2";
import MessageSquareQuote from "lucide-react/icons/message-square-quote";
import Minimize from "lucide-react/icons/minimize-2";
import X from "lucide-react/icons/x";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { PanelAddress } from "./panel-address.ts";
import type { PanelSearch } from "./panel-search.ts";
import styles from "./panel.module.css";

/** The name of what the panel shows, and its actions: `children`, asking about it, the size of the panel and closing it. */
export function PanelHead({
  name,
  search: { full },
  isOver,
  address,
  onAsk,
  askLabel = t("panel.ask"),
  children,
}: {
  name: ReactNode;
  search: PanelSearch;
  /** Whether the panel covers the composer. */
  isOver: boolean;
  address: PanelAddress;
  /** Not for people who can only read the thread. */
  onAsk(): void;
  askLabel?: string | undefined;
  children?: ReactNode;
}) {
  const { access } = useOpenThread();
  return (
    <header className={styles["head"]}>
      <div className="row grow shrink gap-2">{name}</div>
      {access !== "read" && (
        <IconButton
          icon={MessageSquareQuote}
          label={askLabel}
          // Keeps the selection.
          onPointerDown={(event) => event.preventDefault()}
          onClick={onAsk}
        />
      )}
      {children}
      {/* On a phone, the panel always covers the thread. */}
      {(!isOver || full !== undefined) && (
        <IconButton
          icon={full === undefined ? Maximize : Minimize}
          label={t("panel.full")}
          aria-pressed={full !== undefined}
          onClick={() => void address.update({ full: full === undefined ? "1" : undefined })}
        />
      )}
      <IconButton icon={X} label={t("panel.close")} keys="Esc" onClick={() => void address.close()} />
    </header>
  );
}

export function PanelTitle({ children }: { children: string }) {
  return (
    <h2 className="text-3 bold one-line" dir="auto">
      {children}
    </h2>
  );
}
