import { useState } from "react";
import { sourceOf, thumbnailOf } from "#web/data/library/own-file.ts";
import { Lightbox } from "#web/ui/lightbox.tsx";
import { t } from "#web/i18n/translate.ts";
import { FileMark } from "./file-icon.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import styles from "./picture-tile.module.css";

/** A picture of this service that somebody attached: small, in a room that is there before it, and in full size when opened. */
export function PictureTile({ address, name, type }: { address: string; name: string; type: string }) {
  const [isOpen, setOpen] = useState(false);
  const source = sourceOf(address);
  const thumbnail = thumbnailOf(address);
  const label = name === "" ? t("image.alt") : name;
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
          instead={<FileMark name={name} type={type} className={styles["picture"]} />}
        />
      </button>
      {isOpen && (
        <Lightbox source={source} alt={label} closeLabel={t("image.close")} onClose={() => setOpen(false)} />
      )}
    </span>
  );
}
