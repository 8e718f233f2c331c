import { sourceOf, thumbnailOf } from "#web/data/files/own-file.ts";
import { ImageButton } from "#web/ui/images/image-button.tsx";
import { t } from "#web/i18n/translate.ts";
import { FileIcon } from "./file-icon.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import styles from "./picture-tile.module.css";

/** A stored picture that a person attached: a tile of fixed size that opens in full size. */
export function PictureTile({ address, name, type }: { address: string; name: string; type: string }) {
  const source = sourceOf(address);
  const thumbnail = thumbnailOf(address);
  const label = name === "" ? t("fileKind.image") : name;
  return (
    <span className={styles["tile"]}>
      <ImageButton source={source} name={label} className={styles["open"]}>
        <Thumbnail
          sources={thumbnail === undefined ? [source] : [thumbnail, source]}
          alt={label}
          className={styles["picture"]}
          fallback={<FileIcon name={name} type={type} className={styles["picture"]} />}
        />
      </ImageButton>
    </span>
  );
}
