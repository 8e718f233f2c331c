import { type ReactNode, useState } from "react";
import { t } from "#web/i18n/translate.ts";
import { FileSummary } from "./file-summary.tsx";
import { hasPreview, OpenedFile } from "./opened-file.tsx";
import styles from "./file-card.module.css";

/** A file's icon or thumbnail, its name and details. It is a button if the file has a preview. */
export function FilePreviewButton({
  address,
  name,
  type,
  picture,
  thumbnail,
  details,
}: {
  address: string;
  name: string;
  type: string;
  /** The address of the picture, for a picture. */
  picture?: string;
  /** The address of a thumbnail, if there may be one. */
  thumbnail?: string | undefined;
  details: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const sources = thumbnail === undefined ? [] : [thumbnail];
  const content = <FileSummary name={name} type={type} sources={sources} details={details} />;
  if (picture === undefined && !hasPreview(name, type))
    return <span className={styles["open"]}>{content}</span>;
  return (
    <>
      <button type="button" className={styles["open"]} onClick={() => setOpen(true)}>
        {content}
        <span className="unseen">{t("file.preview")}</span>
      </button>
      {isOpen && (
        <OpenedFile
          address={address}
          name={name}
          type={type}
          picture={picture}
          reopen={() => setOpen(true)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
