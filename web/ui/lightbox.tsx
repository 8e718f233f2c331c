import X from "lucide-react/icons/x";
import { t } from "#web/i18n/translate.ts";
import { IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import styles from "./lightbox.module.css";

/** A picture in full size over the page. Esc, the button or a click outside closes it. */
export function Lightbox({ source, alt, onClose }: { source: string; alt: string; onClose(): void }) {
  return (
    <Dialog label={alt} className={styles["lightbox"]} onClose={onClose}>
      <img src={source} alt={alt} />
      <IconButton icon={X} label={t("action.close")} className={styles["close"]} onClick={onClose} />
    </Dialog>
  );
}
