import X from "lucide-react/icons/x";
import { sourceOf } from "#web/data/files/own-file.ts";
import { BesideChatButton } from "#web/ui/beside-chat/beside-chat-button.tsx";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { t } from "#web/i18n/translate.ts";
import { CopyFileText } from "./copy-file-text.tsx";
import { FileContents } from "./file-preview-contents.tsx";
import styles from "./file-preview.module.css";

/** A preview of a file over the page. */
export function FilePreview({
  address,
  name,
  type,
  onClose,
}: {
  address: string;
  name: string;
  type: string;
  onClose(): void;
}) {
  return (
    <Dialog label={name} className={styles["preview"]} onClose={onClose}>
      <header className={styles["head"]}>
        <h2 className="grow text-4 bold one-line" dir="auto">
          {name}
        </h2>
        <BesideChatButton address={address} onOpen={onClose} />
        <CopyFileText address={address} name={name} type={type} />
        <DownloadLink href={sourceOf(address, true)} name={name} />
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </header>
      {/* The keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["body"]} tabIndex={0} role="region" aria-label={name}>
        <FileContents address={address} name={name} type={type} />
      </div>
    </Dialog>
  );
}
