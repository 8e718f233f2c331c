import { useEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import TableOfContents from "lucide-react/icons/table-of-contents";
import X from "lucide-react/icons/x";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { t } from "#web/i18n/translate.ts";
import { Outline } from "./outline.tsx";
import styles from "./outline.module.css";

/**
 * The questions of a long thread with their other versions, and the headings and artifacts of the answers. In narrow windows
 * they are in the dialog of a button.
 */
export function ThreadOutline() {
  const place = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(place);
  return (
    <div ref={place} className={styles["place"]}>
      {isWide === true && <Outline className={styles["margin"]} />}
      {isWide === false && <OutlineButton />}
    </div>
  );
}

function OutlineButton() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <IconButton
        icon={TableOfContents}
        label={t("outline.label")}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {isOpen && <OutlineDialog onClose={close} />}
    </>
  );
}

function OutlineDialog({ onClose }: { onClose(): void }) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => content.current?.querySelector<HTMLElement>("[aria-current='location']")?.focus(), []);
  return (
    <Dialog label={t("outline.label")} className={styles["dialog"]} onClose={onClose}>
      <header className={styles["bar"]}>
        <h2 className="grow text-4 bold">{t("outline.label")}</h2>
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </header>
      <div ref={content} className={styles["content"]}>
        {/* The dialog gives the focus back before the message or heading takes it. */}
        <Outline beforeLeave={() => flushSync(onClose)} />
      </div>
    </Dialog>
  );
}

/** CSS pixels: the column of words, and room for the outline beside it. */
const widePx = 980;

/** Whether the bar above the thread, which is as wide as the thread, is wide; `undefined` until it is measured. */
function useIsWide(place: RefObject<HTMLElement | null>): boolean | undefined {
  const [isWide, setWide] = useState<boolean>();
  useEffect(() => {
    const bar = place.current?.parentElement;
    if (bar == null) return undefined;
    const observer = new ResizeObserver(() => setWide(bar.clientWidth >= widePx));
    observer.observe(bar);
    return () => observer.disconnect();
  }, [place]);
  return isWide;
}
