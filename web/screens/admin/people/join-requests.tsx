import { useJoinRequests, type usePeople } from "#web/data/admin/people.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { List } from "../../list.tsx";
import { MoreButton } from "../../list-content.tsx";
import styles from "../../screen.module.css";

/** People who ask for an account. */
export function JoinRequests({ list }: { list: Pick<ReturnType<typeof usePeople>, "approve" | "deny"> }) {
  const pages = useJoinRequests();
  const { requests } = pages;
  if (requests.length === 0) return null;
  const attempt = (action: Promise<unknown>, done: string) =>
    void action.then(() => showToast(done), showFailure);
  return (
    <section aria-labelledby="join-requests">
      <h2 id="join-requests" className={styles["heading"]}>
        {t("people.requests")}
      </h2>
      <List>
        {requests.map(({ user_id: id, name, email }) => (
          <li key={id} className={styles["row"]}>
            <span className={styles["words"]}>
              <bdi className={styles["name"]}>{name}</bdi>
              <span className={styles["facts"]}>
                <bdi>{email}</bdi>
              </span>
            </span>
            <span className={styles["buttons"]}>
              <Button
                aria-label={t("people.denyNamed", { name: name ?? "" })}
                onClick={() => attempt(list.deny(id), t("people.denied"))}
              >
                {t("people.deny")}
              </Button>
              <Button
                look="strong"
                aria-label={t("people.approveNamed", { name: name ?? "" })}
                onClick={() => attempt(list.approve(id), t("people.approved"))}
              >
                {t("people.approve")}
              </Button>
            </span>
          </li>
        ))}
      </List>
      <MoreButton list={pages} />
    </section>
  );
}
