import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import { fieldStyles } from "./form/field.tsx";
import dialogStyles from "./dialog.module.css";
import styles from "./screen.module.css";

/** Shows a secret once, to copy it: by default a link to send to a person. */
export function LinkDialog({
  title,
  about,
  link,
  copyLabel = t("admin.copyLink"),
  onClose,
}: {
  title: string;
  about: string;
  link: string;
  copyLabel?: string;
  onClose(): void;
}) {
  const { isCopied, copy } = useCopied();
  return (
    <Dialog label={title} className={dialogStyles["dialog"]} onClose={onClose}>
      <h2 className={dialogStyles["title"]}>{title}</h2>
      <p className={styles["about"]}>{about}</p>
      <input
        readOnly
        dir="ltr"
        aria-label={title}
        value={link}
        className={fieldStyles["input"]}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className={dialogStyles["foot"]}>
        <Button onClick={onClose}>{t("action.close")}</Button>
        <Button look="strong" onClick={() => copy(link)}>
          {isCopied ? t("action.copied") : copyLabel}
        </Button>
      </div>
    </Dialog>
  );
}
