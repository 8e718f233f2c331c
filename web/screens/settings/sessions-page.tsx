import Laptop from "lucide-react/icons/laptop";
import Smartphone from "lucide-react/icons/smartphone";
import type { Session } from "#contract/endpoints/auth.ts";
import { useOwnSessions } from "#web/data/session/own-sessions.ts";
import { readUserAgent } from "#web/lib/user-agent.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { showOutcome } from "#web/ui/toast.tsx";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import { List } from "../list.tsx";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { asCode, Mark, Row } from "../row.tsx";
import screenStyles from "../screen.module.css";

/** The server stores the last use of a session to within ten minutes. */
const activeMs = 10 * 60_000;

/** `/settings/sessions`: the browsers and devices that are signed in as this person. */
export function SessionsPage() {
  const list = useOwnSessions();
  const { sessions } = list;
  const { confirm, dialog } = useConfirmation();
  const current = sessions.find(({ is_current: isCurrent }) => isCurrent);
  const others = sessions.filter((session) => session !== current);
  const endOthers = async () => t("sessions.endedOthers", { count: await list.endOthers() });
  return (
    <Page title={t("sessions.title")}>
      <ListContent
        list={list}
        isEmpty={false}
        loadingLabel={t("sessions.loading")}
        failedTitle={t("sessions.failed")}
      >
        <p className={screenStyles["about"]}>{t("sessions.about")}</p>
        {others.length === 0 ? (
          <p className={screenStyles["about"]}>{t("sessions.noOthers")}</p>
        ) : (
          <p className="below-4">
            <Button
              onClick={() =>
                confirm({ text: t("sessions.endOthersAsk"), label: t("sessions.endOthers"), run: endOthers })
              }
            >
              {t("sessions.endOthers")}
            </Button>
          </p>
        )}
        <List>
          {current !== undefined && <SessionRow session={current} />}
          {others.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              onEnd={() =>
                showOutcome(list.end(session.id), t("sessions.ended", { device: nameOf(session) }))
              }
            />
          ))}
        </List>
      </ListContent>
      {dialog}
    </Page>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd?: () => void }) {
  const name = nameOf(session);
  const { isHandheld } = readUserAgent(session.user_agent ?? "");
  return (
    <Row
      before={<Icon of={isHandheld ? Smartphone : Laptop} size={20} />}
      name={name}
      mark={onEnd === undefined && <Mark>{t("sessions.current")}</Mark>}
      facts={[
        lastUseOf(session),
        t("sessions.created", { day: printDay(new Date(session.created_at)) }),
        session.address !== null && asCode(session.address),
      ]}
    >
      {onEnd !== undefined && (
        <Button aria-label={t("sessions.endNamed", { device: name })} onClick={onEnd}>
          {t("sessions.end")}
        </Button>
      )}
    </Row>
  );
}

function nameOf({ user_agent: userAgent }: Session): string {
  const { browser, system } = readUserAgent(userAgent ?? "");
  if (browser !== undefined && system !== undefined) return t("sessions.device", { browser, system });
  return browser ?? system ?? t("sessions.unknown");
}

function lastUseOf(session: Session): string {
  const [now, usedAt] = [new Date(), new Date(session.last_used_at)];
  const isActive = session.is_current || now.getTime() - usedAt.getTime() < activeMs;
  return isActive ? t("sessions.active") : t("sessions.used", { day: printRecent(usedAt, now) });
}
