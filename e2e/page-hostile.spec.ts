import { expect, test } from '@playwright/test';
import { noBrowser, servedPage } from './launch';
import { claudeHome, indexed, openByTitle, type Transcript } from './page-home';

const attack = `
# Notes <script>window.broken = 'script'</script>

<script>window.broken = 'block'</script>
<img src=x onerror="window.broken = 'onerror'">
<iframe src="https://evil.example/frame" onload="window.broken = 'iframe'"></iframe>
<svg onload="window.broken = 'svg'"><a xlink:href="javascript:alert(1)">x</a></svg>
<style>body { display: none }</style>

[script link](javascript:window.broken='link') [mixed](JaVaScRiPt:alert(1)) [entity](java&#115;cript:alert(1))
[data link](data:text/html,<script>alert(1)</script>) [vb](vbscript:alert(1)) [file](file:///etc/passwd) [relative](../../settings.json)
[app](app://retrace/index.html) [web](https://example.org/page "title") [mail](mailto:someone@example.org)

![remote](https://evil.example/pixel.png) ![inline](data:image/svg+xml,<svg onload=alert(1)>)

\`\`\`"><img src=x onerror=alert(1)>
code
\`\`\`

The file is invoice\u202Excod.exe and \u001b[31mred\u001b[0m.
`;

const transcript: Transcript = {
  id: '11111111-1111-4111-8111-111111111111', project: 'acme', at: '2026-03-01T12:00:00Z',
  said: [
    { you: 'Look at <img src=x onerror=alert(1)> this\u202E' },
    { agent: attack },
    { agent: `${'>'.repeat(10_000)} deep in quotes` },
    { agent: `${'['.repeat(20_000)}` },
    { tool: 'Bash', input: { command: 'cat <script>alert(1)</script>' }, output: '\u001b]0;title\u0007\u001b[32mgreen\u001b[0m <script>window.broken = 1</script>', failed: true },
    { tool: 'Edit', input: { file_path: '/home/dev/acme/<img src=x onerror=alert(1)>.js', old_string: 'a', new_string: 'b' }, output: 'ok', result: { filePath: '/home/dev/acme/<img src=x onerror=alert(1)>.js', structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-<script>a</script>', '+<img src=x onerror=alert(1)>'] }] } },
    { tool: 'WebFetch', input: { url: 'javascript:alert(1)' }, output: 'x' },
  ],
};

test('a hostile transcript is shown as text: nothing runs, nothing is fetched, nothing opens', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const made = claudeHome([transcript]);
  const { page, complaints, close } = await servedPage({ home: made.home });
  const origin = new URL(page.url()).origin;
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:image/png')) foreign.push(request.url());
  });
  page.on('dialog', (dialog) => {
    foreign.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.context().on('page', (opened) => foreign.push(`window: ${opened.url()}`));
  try {
    await indexed(page);
    await openByTitle(page, /Look at/);
    await expect(page.locator('.part').filter({ hasText: 'Notes' }).first()).toBeVisible();

    // Every folded step is opened, so that all of it has been drawn.
    for (const line of await page.locator('.part[data-kind="tool"] .fold-line').all()) await line.click();
    await expect(page.getByRole('region', { name: 'Changed lines' })).toContainText('<img src=x onerror=alert(1)>');

    const timeline = page.getByRole('feed');
    await expect(timeline.locator('script, iframe, style, svg[onload], object, embed, form')).toHaveCount(0);
    expect(await timeline.locator('*').evaluateAll((all) => all.filter((each) => [...each.attributes].some((attribute) => attribute.name.startsWith('on'))).length)).toBe(0);
    expect(await timeline.locator('a').evaluateAll((all) => all.map((each) => [each.getAttribute('href'), each.getAttribute('target'), each.getAttribute('rel')]))).toEqual([
      // The address inside the frame's tag stands there as text, so it is a link like any other.
      ['https://evil.example/frame', '_blank', 'noreferrer'],
      ['https://example.org/page', '_blank', 'noreferrer'],
      ['mailto:someone@example.org', '_blank', 'noreferrer'],
    ]);
    await expect(timeline.locator('img')).toHaveCount(0);
    await expect(timeline.locator('.blocked-image')).toContainText('https://evil.example/pixel.png');

    // What reorders or commands is written out; what colours a terminal is taken out of tool output.
    await expect(timeline).toContainText('invoice⟨U+202E⟩xcod.exe');
    expect(await timeline.innerText()).not.toMatch(/[\u202a-\u202e\u001b]/);
    await expect(timeline).toContainText('green <script>window.broken = 1</script>');
    await expect(timeline).toContainText('deep in quotes');

    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    await close();
    made.remove();
  }
});

test('text that repeats without end is drawn in bounded time', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const bombs = ['*'.repeat(180_000), '[a]('.repeat(40_000), '`'.repeat(180_000), '|'.repeat(100_000), '&#'.repeat(80_000), `${'- '.repeat(5_000)}x`, `${'x'.repeat(300_000)}`];
  const made = claudeHome([{ ...transcript, id: '22222222-2222-4222-8222-222222222222', said: [{ you: 'Bombs' }, ...bombs.map((agent) => ({ agent }))] }]);
  const { page, close } = await servedPage({ home: made.home });
  try {
    await indexed(page);
    const before = Date.now();
    await openByTitle(page, 'Bombs');
    for (let at = 0; at < 10; at += 1) {
      await page.getByRole('feed').evaluate((feed) => feed.scrollBy(0, 1_500));
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
    }
    expect(Date.now() - before).toBeLessThan(15_000);
  } finally {
    await close();
    made.remove();
  }
});
