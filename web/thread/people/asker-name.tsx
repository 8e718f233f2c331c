import type { Asker } from "#contract/endpoints/thread-members.ts";
import { PersonAvatar } from "#web/ui/avatar.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./people.module.css";

/** Who asked, above a message of another person. */
export function AskerName({ asker }: { asker: Asker }) {
  const name = asker.name ?? t("share.somebody");
  return (
    <h2 className={styles["asker"]}>
      <PersonAvatar id={asker.user_id} name={name} picture={asker.picture_url} />
      <bdi>{name}</bdi>
      <span className="visually-hidden"> {t("message.asked")}</span>
    </h2>
  );
}
