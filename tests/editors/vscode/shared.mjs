// A rubric that the suite gives to every case: its own lines say what all cases made of it, and the hover which did what.
import { command, goTo, line, pressLens, quiet } from './look.mjs';

export async function shared({ page, shot, open }) {
  await open('shared.eval.yaml');
  const tone = line(page, /id:\s*tone\s*✘\s*1\/3\s*cases\s*4\.7\/10\s*on\s*average/u);
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: 'Run 3 cases' }), tone);
  await line(page, /id:\s*reasons\s*✔\s*3\/3\s*cases/u).waitFor();
  await line(page, /name:\s*quality\s*✘\s*1\/3\s*cases/u).waitFor();
  await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).first().waitFor({ state: 'detached' });
  await tone.waitFor(); // the messages of failed tests stand at their cases, and take the place of nothing here
  await goTo(page, 9);
  await page.keyboard.press('ArrowLeft');
  await command(page, 'Show or Focus Hover');
  const rows = page.locator('.monaco-hover tbody tr');
  await rows.filter({ hasText: 'curt, no greeting' }).waitFor();
  const cases = (await rows.allInnerTexts()).map((row) => row.trim().split(/\s/u)[0]);
  if (cases.join() !== 'shoes,hat,coat') throw new Error(`the worst first, not ${cases.join()}`);
  await page.waitForTimeout(600); // it fades in
  await shot('shared');
  await quiet(page);
}
