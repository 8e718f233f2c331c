import { type ReactNode, useState } from "react";
import { t } from "#web/i18n/translate.ts";
import { FileMark } from "./file-icon.tsx";
import { hasPreview, OpenedFile } from "./opened-file.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import styles from "./file-card.module.css";

/** A file's face: its mark or picture, its name and what else is to be said; it opens a look into the file where one can be had. */
export function FileLook({
  address,
  name,
  type,
  picture,
  thumbnail,
  facts,
}: {
  address: string;
  name: string;
  type: string;
  /** Where the picture is, of a file that is one. */
  picture?: string;
  /** Where a small one is, where there may be one. */
  thumbnail?: string | undefined;
  facts: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const face = (
    <>
      <Thumbnail
        sources={thumbnail === undefined ? [] : [thumbnail]}
        alt=""
        className={styles["mark"]}
        edge={40}
        instead={<FileMark name={name} type={type} className={styles["mark"]} />}
      />
      <span className={styles["words"]}>
        <span className={styles["name"]} dir="auto">
          {name}
        </span>
        <span className={styles["fact"]}>{facts}</span>
      </span>
    </>
  );
  if (picture === undefined && !hasPreview(name, type)) return <span className={styles["open"]}>{face}</span>;
  return (
    <>
      <button type="button" className={styles["open"]} onClick={() => setOpen(true)}>
        {face}
        <span className="unseen">{t("file.preview")}</span>
      </button>
      {isOpen && (
        <OpenedFile
          address={address}
          name={name}
          type={type}
          picture={picture}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
