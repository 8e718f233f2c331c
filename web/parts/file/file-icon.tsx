import type { LucideIcon } from "lucide-react";
import FileArchive from "lucide-react/icons/file-archive";
import FileAudio from "lucide-react/icons/file-audio";
import FileCode from "lucide-react/icons/file-code";
import FileImage from "lucide-react/icons/file-image";
import FileIcon from "lucide-react/icons/file";
import FileSpreadsheet from "lucide-react/icons/file-spreadsheet";
import FileText from "lucide-react/icons/file-text";
import FileVideo from "lucide-react/icons/file-video";
import { join } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { fileKind, type FileKind } from "./file-kind.ts";
import styles from "./file-icon.module.css";

/** A kind missing here does not compile. */
const icons: { [K in FileKind]: LucideIcon } = {
  pdf: FileText,
  picture: FileImage,
  sound: FileAudio,
  film: FileVideo,
  table: FileSpreadsheet,
  code: FileCode,
  text: FileText,
  archive: FileArchive,
  other: FileIcon,
};

/** A file's kind at a glance. Its name stands beside it. */
export function FileMark({
  name,
  type,
  className,
}: {
  name: string;
  type: string;
  className?: string | undefined;
}) {
  const kind = fileKind(name, type);
  return (
    <span className={join(styles["mark"], className)} data-kind={kind} aria-hidden>
      <Icon of={icons[kind]} size={18} />
    </span>
  );
}
