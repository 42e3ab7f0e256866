import { thisMachine } from './disk/machine';
import { PlanHome } from './home.test-support';
import { killSteps } from './kill-steps.test-support';

/** A process that applies one plan in a given home, and may be ended on the way. It prints `ready` before it applies. */
const [home = '', library = '', kind = 'add', mark = ''] = process.argv.slice(2);
const at = PlanHome.at(home, library, 'opencode', { ...thisMachine(), waits: { journal: 5_000, store: 1_000, looks: 1 } });
await at.ask('index.run', {});
await at.firstSession();
const plan = await at.plan(killSteps(at, kind, mark));
if (plan.refused !== null) throw new Error(plan.refused);
process.stdout.write(`ready ${plan.id}\n`);
const outcome = await at.ask('plan.apply', { plan: plan.id });
process.stdout.write(`${JSON.stringify(outcome?.applied)}\n`);
process.exit(0);
