import type { ReactNode } from "react";
import { FileIcon } from "./file-icon.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import styles from "./file-summary.module.css";

/** A file's thumbnail or icon, its name, and `details` below it. `sources`: addresses of a thumbnail, best first. */
export function FileSummary({
  name,
  type,
  sources,
  details,
}: {
  name: string;
  type: string;
  sources: readonly string[];
  details: ReactNode;
}) {
  return (
    <>
      <Thumbnail
        sources={sources}
        alt=""
        className={styles["mark"]}
        edge={40}
        fallback={<FileIcon name={name} type={type} className={styles["mark"]} />}
      />
      <span className={styles["words"]}>
        <span className={styles["name"]} dir="auto" title={name}>
          {name}
        </span>
        <span className="text-2 ink-faint figures">{details}</span>
      </span>
    </>
  );
}
