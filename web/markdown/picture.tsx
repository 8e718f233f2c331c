import ImageIcon from "lucide-react/icons/image";
import { inApp, appUrl } from "#web/lib/base-path.ts";
import { Icon } from "#web/ui/icon.tsx";
import { ImageButton } from "#web/ui/images/image-button.tsx";
import { t } from "#web/i18n/translate.ts";
import { hostOf, allowedPicture, safeLink } from "./address.ts";
import styles from "./picture.module.css";

/** Pages of shared threads are rendered on the server, where no script opens a picture. */
const isOnServer = typeof location === "undefined";
const app = isOnServer ? "https://page.invalid" : appUrl("");

/**
 * A picture of this app's own server is shown and opens in full size. One of another server is never loaded, because its
 * host would learn about the reader; it is a link to its address.
 */
export function Picture({ address, alt }: { address: string; alt: string }) {
  const source = allowedPicture(address.startsWith("/") ? inApp(address) : address, app);
  if (source === undefined) return <RemotePicture address={address} alt={alt} />;
  const name = alt === "" ? t("fileKind.image") : alt;
  if (isOnServer) return <img src={address} alt={name} loading="lazy" decoding="async" />;
  return (
    <ImageButton source={source} name={name} className={styles["picture"]}>
      <img src={source} alt={name} loading="lazy" decoding="async" />
    </ImageButton>
  );
}

function RemotePicture({ address, alt }: { address: string; alt: string }) {
  const href = safeLink(address);
  if (href === undefined) return alt;
  const host = hostOf(href);
  return (
    <a
      className={styles["foreign"]}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      data-tip={t("image.foreignHint", { host })}
    >
      <Icon of={ImageIcon} size={16} />
      <span>{alt === "" ? t("image.foreign", { host }) : alt}</span>
      <span className={styles["host"]}>{host}</span>
    </a>
  );
}
