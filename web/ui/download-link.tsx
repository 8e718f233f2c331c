import Download from "lucide-react/icons/download";
import { t } from "#web/i18n/translate.ts";
import { join } from "./button.tsx";
import { Icon } from "./icon.tsx";
import styles from "./button.module.css";

/** A link that looks like an icon button and downloads `href` as a file with this name. */
export function DownloadLink({
  href,
  name,
  className,
}: {
  href: string;
  name: string;
  className?: string | undefined;
}) {
  return (
    <a
      href={href}
      download={name}
      aria-label={t("file.downloadNamed", { name })}
      data-tip={t("file.download")}
      className={join(styles["iconButton"], className)}
    >
      <Icon of={Download} size={16} />
    </a>
  );
}
