import { useState } from "react";
import { sourceOf, thumbnailOf } from "#web/data/library/own-file.ts";
import { Lightbox } from "#web/ui/lightbox.tsx";
import { t } from "#web/i18n/translate.ts";
import { FileIcon } from "./file-icon.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import styles from "./picture-tile.module.css";

/** A stored picture that a person attached: a tile of fixed size that opens in full size. */
export function PictureTile({ address, name, type }: { address: string; name: string; type: string }) {
  const [isOpen, setOpen] = useState(false);
  const source = sourceOf(address);
  const thumbnail = thumbnailOf(address);
  const label = name === "" ? t("fileKind.image") : name;
  return (
    <span className={styles["tile"]}>
      <button
        type="button"
        className={styles["open"]}
        aria-label={`${t("image.open")}: ${label}`}
        onClick={() => setOpen(true)}
      >
        <Thumbnail
          sources={thumbnail === undefined ? [source] : [thumbnail, source]}
          alt={label}
          className={styles["picture"]}
          fallback={<FileIcon name={name} type={type} className={styles["picture"]} />}
        />
      </button>
      {isOpen && <Lightbox source={source} alt={label} onClose={() => setOpen(false)} />}
    </span>
  );
}
