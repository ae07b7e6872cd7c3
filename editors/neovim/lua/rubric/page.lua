--- A report as lines with colours: first the verdict, then its explanation, then answer and requests.
local text = require('rubric.text')
local verdict = require('rubric.verdict')

local M = {}

local BAR = 10
local LEVELS = { passed = '▇', borderline = '▅', failed = '▂', unscored = '·' }
local SHOWN = 12

local function score(value)
  return value and ('%.2f'):format(value) or '–'
end

local function number(value)
  return (('%.4f'):format(value):gsub('0+$', ''):gsub('%.$', ''))
end

local function bar(value)
  local full = math.floor((value or 0) * BAR + 0.5)
  return ('█'):rep(full) .. ('░'):rep(BAR - full)
end

local function mark(name)
  return { (verdict.marks[name] or '·') .. ' ', verdict.groups[name] }
end

local function group(name)
  return verdict.groups[name] or 'RubricDetail'
end

local function head(report)
  local words = report.verdict
  if report.score then
    words = ('%s with %s'):format(words, score(report.score))
  end
  local line = { mark(report.verdict), { words, group(report.verdict) } }
  if report.score then
    table.insert(line, { ('  needs %s'):format(score(report.threshold)), 'RubricDetail' })
  end
  if report.stale then
    table.insert(line, { ('   %s stale: the case has changed since'):format(verdict.marks.stale), 'RubricStale' })
  end
  return line
end

local function facts(report)
  local known = { report.dialect, report.target and report.target ~= '' and ('target ' .. report.target) or nil }
  if #(report.judges or {}) > 0 then
    table.insert(known, 'judge ' .. table.concat(report.judges, ', '))
  end
  if report.durationMs then
    table.insert(known, text.duration(report.durationMs))
  end
  if report.costUsd then
    table.insert(known, ('$%.4g'):format(report.costUsd))
  end
  if report.at then
    table.insert(known, (report.at:sub(1, 16):gsub('T', ' ')))
  end
  return { { table.concat(known, ' · '), 'RubricDetail' } }
end

local function paragraph(page, words, indent, colour)
  for _, line in ipairs(vim.split(vim.trim(words), '\n')) do
    table.insert(page, { { indent }, { line, colour } })
  end
end

--- The graders that could not run or crashed, followed by their reasons.
local function errors(page, report)
  local names = vim.tbl_map(function(each)
    return each.evaluator
  end, report.graderErrors or {})
  if #names > 0 then
    local words = ('%d %s failed: %s'):format(#names, #names == 1 and 'grader' or 'graders', table.concat(names, ', '))
    table.insert(page, { mark('errored'), { words, group('errored') } })
  end
end

local function criterion(page, found, indent)
  local line = { { indent }, mark(found.verdict), { found.label, group(found.verdict) } }
  local value = found.raw and ('%s/10 → %s'):format(number(found.raw), score(found.score)) or score(found.score)
  table.insert(line, { '  ' .. value })
  if found.minimum then
    table.insert(line, { ('  needs %s'):format(score(found.minimum)), 'RubricDetail' })
  end
  table.insert(page, line)
  if found.text and found.text ~= '' and found.text ~= found.label and ('"%s"'):format(found.text) ~= found.label then
    paragraph(page, found.text, indent .. '  ', 'RubricDetail')
  end
  for _, band in ipairs(found.bands or {}) do
    local range = band.low == band.high and number(band.low) or ('%s–%s'):format(number(band.low), number(band.high))
    local colour = band.hit and group(found.verdict) or 'RubricDetail'
    table.insert(page, {
      { indent .. '  ' },
      { band.hit and '▸ ' or '  ', colour },
      { text.padded(range, 5), colour },
      { band.text or '', colour },
    })
  end
  if found.reasoning and found.reasoning ~= '' then
    paragraph(page, found.reasoning, indent .. '  ')
  end
end

local function widest(evaluators)
  local width = 0
  for _, each in ipairs(evaluators) do
    width = math.max(width, vim.fn.strdisplaywidth(each.name))
  end
  return math.min(width, 40)
end

local evaluators
function evaluators(page, list, indent, told)
  local width = widest(list)
  for _, found in ipairs(list) do
    local inside = indent .. '  '
    table.insert(page, {
      { indent },
      mark(found.error and 'errored' or found.verdict),
      { text.padded(found.name, width), group(found.verdict) },
      { ('  %s × %s  '):format(score(found.score), number(found.weight or 1)) },
      { bar(found.score), group(found.verdict) },
      { found.share and ('  %d %% of the case'):format(math.floor(found.share * 100 + 0.5)) or '', 'RubricDetail' },
    })
    if found.gate and found.gate ~= '' and not told:find(found.gate, 1, true) then
      paragraph(page, ('gate: %s'):format(found.gate), inside, group(found.verdict))
    end
    local parted = #(found.criteria or {}) + #(found.members or {}) > 0 -- the parts say it with their reasons
    local said = found.reason and found.reason ~= '' and found.reason or found.reasoning
    if said and said ~= '' and not parted and said ~= told then
      paragraph(page, said, inside, found.verdict ~= 'passed' and group(found.verdict) or 'RubricDetail')
    end
    for _, miss in ipairs(parted and {} or found.misses or {}) do
      if miss ~= said then
        table.insert(page, { { inside }, { '− ' .. miss, group('failed') } })
      end
    end
    for _, each in ipairs(found.criteria or {}) do
      criterion(page, each, inside)
    end
    evaluators(page, found.members or {}, inside, told)
  end
end

local function section(page, title, words)
  if words and vim.trim(words) ~= '' then
    table.insert(page, {})
    table.insert(page, { { title, 'RubricTitle' } })
    paragraph(page, words, '  ')
  end
end

--- The requests, each below its receiver.
local function requests(page, list)
  if #(list or {}) == 0 then
    return
  end
  table.insert(page, {})
  table.insert(page, { { 'Sent', 'RubricTitle' } })
  for _, each in ipairs(list) do
    paragraph(page, each.title, '  ')
    for _, sentence in ipairs(each.before) do
      paragraph(page, sentence, '    ', 'RubricDetail')
    end
    for _, part in ipairs(each.texts) do
      table.insert(page, { { '    ' }, { '[' .. part.name .. ']', 'RubricTitle' } })
      for _, line in ipairs(vim.split(part.text, '\n')) do -- as it is, blank lines included
        table.insert(page, { { '      ' }, { line } })
      end
    end
    for _, sentence in ipairs(each.after) do
      paragraph(page, sentence, '    ', 'RubricDetail')
    end
  end
end

--- The usage of target and judges.
local function usage(page, list)
  for _, each in ipairs(list or {}) do
    table.insert(page, { { each.text, 'RubricDetail' } })
  end
end

local function history(page, runs)
  if #(runs or {}) < 2 then
    return
  end
  local line, passed = { { 'Last runs  ', 'RubricTitle' } }, 0
  local shown = vim.list_slice(runs, math.max(1, #runs - SHOWN + 1))
  for _, run in ipairs(shown) do
    passed = passed + (run.verdict == 'passed' and 1 or 0)
    table.insert(line, { LEVELS[run.verdict] or '·', group(run.verdict) })
  end
  table.insert(line, { ('  %d of %d passed'):format(passed, #shown), 'RubricDetail' })
  table.insert(page, {})
  table.insert(page, line)
end

--- The lines of a report.
---@param report table as `rubric/report` gives it
---@return rubric.Chunk[][]
function M.of(report)
  local page = { head(report), facts(report) }
  usage(page, report.usage)
  errors(page, report)
  if report.reason and report.reason ~= '' then
    paragraph(page, report.reason, '')
  end
  if #(report.evaluators or {}) > 0 then
    table.insert(page, {})
    table.insert(page, { { 'Evaluators', 'RubricTitle' } })
    evaluators(page, report.evaluators, '  ', report.reason or '')
  end
  section(page, 'To pass', table.concat(report.flips or {}, '\n'))
  section(page, 'Answer', report.answer)
  section(page, 'Expected', report.expectedOutput)
  history(page, report.history)
  if report.requests then
    requests(page, report.requests)
  else
    section(page, 'Prompt', report.prompt)
  end
  if report.command then
    table.insert(page, {})
    table.insert(page, { { '$ ', 'RubricDetail' }, { report.command } })
  end
  for _, line in ipairs(page) do
    table.insert(line, 1, { ' ' })
  end
  return page
end

return M
