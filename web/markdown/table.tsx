import { type ReactNode, useEffect, useRef, useState } from "react";
import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import Maximize from "lucide-react/icons/maximize-2";
import X from "lucide-react/icons/x";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { csvOf } from "#web/lib/csv.ts";
import { useCopied } from "#web/ui/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import styles from "./table.module.css";

/** The rows of a table; `texts` returns the texts of all cells, with the header first. */
export type TableContent = { head: ReactNode; rows: ReactNode; texts: () => readonly string[][] };

/** A table that scrolls sideways, with buttons that show it in full width and copy it as CSV. */
export function TableFigure({ head, rows, texts }: TableContent) {
  const [isExpanded, setExpanded] = useState(false);
  const { isCopied, copy } = useCopied();
  const copyButton = (
    <IconButton
      icon={isCopied ? Check : Copy}
      size={16}
      label={isCopied ? t("action.copied") : t("table.copyCsv")}
      onClick={() => copy(csvOf(texts()))}
    />
  );
  return (
    <figure className={styles["figure"]}>
      <Grid head={head} rows={rows} />
      <div className={styles["actions"]}>
        <span role="status" className="unseen">
          {isCopied && t("action.copied")}
        </span>
        {copyButton}
        <IconButton icon={Maximize} size={16} label={t("table.expand")} onClick={() => setExpanded(true)} />
      </div>
      {isExpanded && (
        <Dialog label={t("fileKind.table")} className={styles["dialog"]} onClose={() => setExpanded(false)}>
          <div className={styles["bar"]}>
            {copyButton}
            <IconButton icon={X} label={t("action.close")} onClick={() => setExpanded(false)} />
          </div>
          <Grid head={head} rows={rows} />
        </Dialog>
      )}
    </figure>
  );
}

function Grid({ head, rows }: Omit<TableContent, "texts">) {
  const frame = useRef<HTMLDivElement>(null);
  useEdgeFade(frame);
  return (
    <div ref={frame} className={styles["frame"]}>
      <ScrollBox dir="auto" label={t("fileKind.table")} className={styles["box"]}>
        <table>
          <thead>{head}</thead>
          <tbody>{rows}</tbody>
        </table>
      </ScrollBox>
    </div>
  );
}

/** Marks the sides of the frame beyond which its box can scroll. */
function useEdgeFade(frame: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    const box = element?.firstElementChild;
    if (element === null || !(box instanceof HTMLElement)) return undefined;
    const update = () => {
      const hidden = box.scrollWidth - box.clientWidth;
      // From right to left, `scrollLeft` is 0 at the right end and negative elsewhere.
      const isRtl = getComputedStyle(box).direction === "rtl";
      const hiddenLeft = isRtl ? hidden + box.scrollLeft : box.scrollLeft;
      element.toggleAttribute("data-more-left", hiddenLeft > 1);
      element.toggleAttribute("data-more-right", hidden - hiddenLeft > 1);
    };
    const observer = new ResizeObserver(update);
    observer.observe(box);
    if (box.firstElementChild !== null) observer.observe(box.firstElementChild);
    box.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", update);
    };
  }, [frame]);
}

/** The table as RFC 4180 describes it. */
