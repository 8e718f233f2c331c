import { type ReactNode, useState } from "react";
import { t } from "#web/i18n/translate.ts";
import { OpenedFile } from "./opened-file.tsx";
import styles from "./file-card.module.css";

/** Opens a file's preview over the page. */
export function FilePreviewButton({
  address,
  name,
  type,
  picture,
  className = styles["open"],
  children,
}: {
  address: string;
  name: string;
  type: string;
  /** The address of the picture, for a picture. */
  picture?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={className} onClick={() => setOpen(true)}>
        {children}
        <span className="visually-hidden">{t("file.preview")}</span>
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
